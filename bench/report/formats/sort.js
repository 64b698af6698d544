// Tables sorted by a click on a heading: one way, the other way, and as they were.
const units = { s: 1, min: 60, h: 3600, k: 1e3, M: 1e6 };
const worth = text => {  // what a cell begins with: "−0.3", "12 min", "<0.001", "[+0.1, +0.9]"
  const found = text.match(/^[\[<±≤]*([+−]?[\d,]*\.?\d+)\s?(s|min|h|k|M)?(?![\p{L}\d])/u);
  return found ? Number(found[1].replaceAll(",", "").replace("−", "-")) * (units[found[2]] ?? 1) : null;
};
const order = (a, b) => {  // numbers before words
  const [x, y] = [worth(a), worth(b)];
  if (x === null && y === null) return a.localeCompare(b);
  return x === null || y === null ? (x === null) - (y === null) : x - y;
};
for (const table of document.querySelectorAll("table:not(.examples)")) {
  const body = table.tBodies[0], before = [...body.rows];
  const headings = [...table.querySelectorAll("th[scope=col]")];
  for (const heading of headings) {
    const button = document.createElement("button"), text = row => row.cells[heading.cellIndex]?.textContent.trim() ?? "";
    button.className = "sort";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const ways = before.some(row => worth(text(row)) !== null) ? ["descending", "ascending"] : ["ascending", "descending"];
      const way = [...ways, null][ways.indexOf(heading.ariaSort) + 1];
      for (const other of headings) other.ariaSort = null;
      heading.ariaSort = way;
      const sign = way === "descending" ? -1 : 1;
      const sorted = before.toSorted((a, b) => !text(a) - !text(b) || sign * order(text(a), text(b)));
      body.append(...(way ? sorted : before));
    });
  }
}
