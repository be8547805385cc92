// Reads the data embedded in the page and starts the interactive parts.

const DATA = JSON.parse(document.getElementById("moving-data").textContent);
const stage = DATA.moving ? new Stage(document.getElementById("stage"), DATA.moving) : null;
const ladder = DATA.ladder ? new Ladder(document.getElementById("ladder"), DATA.ladder) : null;
// For tests and other uses of the numbers: points (t, x_1, …) of all paths as drawn, one after the other.
window.liestonet = Object.freeze({ stage, ladder, points: () => Array.from(stage.paths.now) });
