// Cards as they are written and as they are shown. Ranks keep their letters in both languages: the cards bear them.

export const RANKS = "23456789TJQKA";
export const SUITS = "CDHS";
export const CLOTH = "KQJT987A23456"; // the order of the cloth; the seven stands tall at the end
export const GRID_RANKS = "A23456789TJQK";
export const GRID_SUITS = "SHDC";
export const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };

export const isRed = (suit) => suit === "H" || suit === "D";
export const rankText = (rank) => (rank === "T" ? "10" : rank);
export const cardText = (card) => rankText(card[0]) + SIGNS[card[1]];
export const indexOf = (card) => RANKS.indexOf(card[0]) * 4 + SUITS.indexOf(card[1]);

/** How many cards of each a full shoe of this table holds: 52 counts, index rank × 4 + suit. */
export function fullShoe(game, rules) {
  const copies = game === "stos" ? Number(rules.decks ?? 6) : 1;
  const size = game === "private" || game === "pharaon" ? Number(rules.deck ?? 52) : 52;
  const lowest = { 52: 0, 36: 4, 32: 5 }[size];
  return Array.from({ length: 52 }, (_, index) => (Math.floor(index / 4) >= lowest ? copies : 0));
}
