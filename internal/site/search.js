// Finds the sections that hold every word that was typed. The index is in search-index.js.
const input = document.getElementById("search");
const list = document.getElementById("found");
const up = document.body.dataset.up;

// score is how well a section answers the words; 0 if a word is missing.
function score(section, words) {
  const heading = section.heading.toLowerCase();
  const page = section.page.toLowerCase();
  const text = section.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const found = (heading.includes(word) ? 8 : 0) + (page.includes(word) ? 4 : 0) + Math.min(3, text.split(word).length - 1);
    if (found === 0) return 0;
    sum += found;
  }
  return sum;
}

// excerpt is the text of a section around a word.
function excerpt(section, word) {
  const at = Math.max(0, section.text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? "…" : "") + section.text.slice(at, at + 140);
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : sections
    .map((section) => ({ section, score: score(section, words) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 20);
  list.replaceChildren(...found.map(({ section }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = up + section.url;
    link.textContent = section.heading === section.page ? section.page : section.page + ": " + section.heading;
    const text = document.createElement("p");
    text.textContent = excerpt(section, words[0]);
    item.append(link, text);
    return item;
  }));
  if (words.length > 0 && found.length === 0) {
    const item = document.createElement("li");
    item.textContent = "No section has all of these words.";
    list.append(item);
  }
  list.hidden = words.length === 0;
}

input.addEventListener("input", search);
input.value = new URLSearchParams(location.search).get("q") ?? "";
search();
