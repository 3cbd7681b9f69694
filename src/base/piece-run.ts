// A run of neighbouring pieces: the first and how many.

/** Pieces from `first` on, `count` of them (at least 1). */
export interface PieceRun {
  readonly first: number
  readonly count: number
}
