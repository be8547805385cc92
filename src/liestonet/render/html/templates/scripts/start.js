// Reads what is embedded in the page and wakes the parts that move.

const DATA = JSON.parse(document.getElementById("moving-data").textContent);
const stage = DATA.moving ? new Stage(document.getElementById("stage"), DATA.moving) : null;
const ladder = DATA.ladder ? new Ladder(document.getElementById("ladder"), DATA.ladder) : null;
// For whoever wants the numbers: points (t, x_1, …) of all paths as they are drawn, one after the other.
window.liestonet = Object.freeze({ stage, ladder, points: () => Array.from(stage.paths.now) });
