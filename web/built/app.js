// A place holder: the page is built by rolldown into this folder.
document.getElementById("page").textContent = "The page is not built yet.";
