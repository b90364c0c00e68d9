// Percent-encoding in paths and logins of URLs (RFC 3986).

/** The text without percent signs; as it stands where they stand for no characters. Never throws. */
export function decodedOrRaw(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
