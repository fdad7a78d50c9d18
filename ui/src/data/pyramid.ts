// A level-of-detail pyramid over spans in the order of their starts: what to draw of them at any zoom, in
// time that depends on the picture's width alone.
//
// Level 0 are the spans; a node of level n + 1 stands for FANOUT neighbours of level n and knows their first
// start, last end, sum of lengths and flags. Going down from the top, whatever would be narrower than
// a pixel is handed out as it is: so each span is seen, as itself or in a node, however far away.

/** What a visit hands out. */
export interface Seen {
  /** A span that is at least `least` long. */
  span(index: number): void;
  /** Neighbouring spans, from index `first` on, that together are shorter than `least`, or one such span. */
  dense(start: number, end: number, busy: number, flags: number, first: number, count: number): void;
}

export interface Pyramid {
  /** Hands out all spans that touch [from, to], in order of their starts. */
  visit(from: number, to: number, least: number, seen: Seen): void;
  /** The first index from which on a span may touch `from` or later times: none before it does. */
  firstTouching(from: number): number;
}
