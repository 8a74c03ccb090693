
"use strict";
// Draws frames that the engine has made; it knows no rules. Names and all else are set as text.

const SUITS = { s: "\u2660", h: "\u2665", d: "\u2666", c: "\u2663" };
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
let hand = 0;
let place = 0;

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const color = (card) => (card[1] === "h" || card[1] === "d" ? " red" : "");

function makeCard(card, fresh) {
  const element = make("div", "card" + color(card) + (card === fresh ? " fresh" : ""));
  element.append(make("span", "rank", card[0]), make("span", "suit", SUITS[card[1]]));
  return element;
}

function makeSmall(card) {
  return make("span", "small" + color(card), card[0] + SUITS[card[1]]);
}

function makeGroup(className, cards) {
  const element = make("div", className);
  element.append(...cards);
  return element;
}

function drawSeat(element, seat, frame) {
  const [, toMove, , , , seats] = frame;
  const [melds, rest, nHidden, deadwood, fresh] = seats[seat];
  element.className = "seat" + (toMove === seat ? " moves" : "");
  const title = element.querySelector("h2");
  title.replaceChildren(make("span", "name", data.hands[hand].players[seat]));
  if (deadwood !== null) title.append(make("span", "deadwood", "deadwood " + deadwood));
  const groups = melds.map((meld) =>
    makeGroup("group meld", meld.map((card) => makeCard(card, fresh))));
  const others = rest.map((card) => makeCard(card, fresh));
  for (let back = 0; back < nHidden; back++) others.push(make("div", "card back"));
  if (others.length) groups.push(makeGroup("group", others));
  element.querySelector(".cards").replaceChildren(...groups);
}

function drawMiddle(frame) {
  const [, , nStock, pile, removed] = frame;
  at("stock").replaceChildren(make("div", "card back"), make("span", "", "Stock " + nStock));
  const top = pile.length ? [makeCard(pile[pile.length - 1], null)] : [];
  const under = make("div", "under");
  under.append(...pile.slice(0, -1).reverse().map(makeSmall));
  const label = pile.length ? "Pile " + pile.length : "Pile empty";
  at("pile").replaceChildren(...top, make("span", "", label), under);
  const gone = removed.length ? [make("span", "", "Out of the game"), ...removed.map(makeSmall)] : [];
  at("removed").replaceChildren(...gone);
}

function drawLog(frames) {
  const list = at("log");
  if (list.dataset.hand !== String(hand)) {
    list.dataset.hand = String(hand);
    list.replaceChildren(...frames.slice(1).map((frame, number) => {
      const item = make("li", "", frame[0]);
      item.addEventListener("click", () => goTo(number + 1));
      return item;
    }));
  }
  [...list.children].forEach((item, number) => {
    item.className = number + 1 === place ? "now" : number + 1 > place ? "later" : "";
  });
  // Not scrollIntoView: that would move the table out of a small window, too.
  const box = list.parentElement;
  const item = list.children[Math.max(0, place - 1)];
  if (item) box.scrollTop = item.offsetTop - list.offsetTop - box.clientHeight / 2;
}

function draw() {
  const { facts, totals, players, frames } = data.hands[hand];
  const frame = frames[place];
  const standing = totals ? ["totals " + players.map((name, seat) => name + " " + totals[seat]).join(", ")] : [];
  at("facts").textContent = [...facts, ...standing].join(" \u00b7 ");
  at("number").value = String(data.first + hand);
  at("count").textContent = "to " + (data.first + data.hands.length - 1);
  drawSeat(at("above"), 1 - data.below, frame);
  drawSeat(at("below"), data.below, frame);
  drawMiddle(frame);
  drawLog(frames);
  at("said").textContent = [frame[0] || "The deal", ...frame[6]].join("\n");
  at("scrubber").max = String(frames.length - 1);
  at("scrubber").value = String(place);
  at("place").textContent = place + " of " + (frames.length - 1);
  at("previous").disabled = hand === 0;
  at("next").disabled = hand === data.hands.length - 1;
}

function goTo(wanted) {
  const last = data.hands[hand].frames.length - 1;
  place = Math.max(0, Math.min(last, wanted));
  draw();
}

function turnTo(wanted) {
  const last = data.hands.length - 1;
  const next = Math.max(0, Math.min(last, wanted));
  if (next !== hand) place = 0;
  hand = next;
  draw();
}

const KEYS = {
  ArrowRight: () => goTo(place + 1),
  ArrowLeft: () => goTo(place - 1),
  ArrowDown: () => turnTo(hand + 1),
  ArrowUp: () => turnTo(hand - 1),
  PageDown: () => turnTo(hand + 1),
  PageUp: () => turnTo(hand - 1),
  Home: () => goTo(0),
  End: () => goTo(Infinity),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target === at("number");
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
at("scrubber").addEventListener("input", (event) => goTo(Number(event.target.value)));
at("number").addEventListener("change", (event) => {
  const wanted = Number.parseInt(event.target.value, 10);
  turnTo(Number.isNaN(wanted) ? hand : wanted - data.first);
});
at("first").addEventListener("click", () => goTo(0));
at("back").addEventListener("click", () => goTo(place - 1));
at("on").addEventListener("click", () => goTo(place + 1));
at("last").addEventListener("click", () => goTo(Infinity));
at("previous").addEventListener("click", () => turnTo(hand - 1));
at("next").addEventListener("click", () => turnTo(hand + 1));
at("trouble").textContent = data.trouble || "";
draw();
