// Loaded before a program (`node --import`), sets its clock back by SHADOW_SECONDS_AGO. The demo's chain runs ahead of the
// clock; begun so long ago it is not ahead of the world's when it ends, and a node with rules about that takes its blocks.

const RealDate = Date;
const shiftMs = Number(process.env["SHADOW_SECONDS_AGO"] ?? "0") * 1000;

class PastDate extends RealDate {
  constructor(value: number | string | Date = RealDate.now() - shiftMs) {
    super(value);
  }

  static override now(): number {
    return RealDate.now() - shiftMs;
  }
}

globalThis.Date = PastDate as DateConstructor;
