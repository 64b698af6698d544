// The examples of a comparison, filtered and sorted. Without a script all are shown.
for (const box of document.querySelectorAll(".changes")) {
  const form = box.querySelector("form"), said = form.querySelector("output");
  const body = box.querySelector(".examples tbody"), rows = [...body.rows];
  const slices = [...form.querySelectorAll("select[data-slice]")];
  const gain = row => Number(row.dataset.gain), text = row => row.textContent.toLowerCase();
  const orders = {
    change: (a, b) => Math.abs(gain(b)) - Math.abs(gain(a)),
    gain: (a, b) => gain(b) - gain(a),
    loss: (a, b) => gain(a) - gain(b),
    length: (a, b) => a.cells[0].textContent.length - b.cells[0].textContent.length,
  };
  const show = () => {
    const { change, sort, words } = form.elements, wanted = words.value.toLowerCase();
    for (const row of rows) {
      row.hidden = (change.value && (change.value === "better") !== gain(row) > 0)
        || slices.some(one => one.value && row.dataset[`slice${one.dataset.slice}`] !== one.value)
        || !text(row).includes(wanted);
    }
    body.append(...rows.sort(orders[sort.value]));
    said.value = `${rows.filter(row => !row.hidden).length} of ${rows.length} shown`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  show();
}
