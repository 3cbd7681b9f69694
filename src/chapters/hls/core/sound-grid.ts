// The fixed grid that converted sound is made on: frames of 1,024 samples, counted from the start of the film. A
// segment has those that begin in it, so that any one is made alone and fits to the others.

/** Samples of each channel in a frame of AAC. */
export const FRAME_SAMPLES = 1024

/** Frames from `first` on, before `end`. */
export interface GridPart {
  readonly first: number
  readonly end: number
}

/** A time that differs by less is that of the frame, samples. */
const SAME_SAMPLES = 1e-3

/** The frames that begin from `start` on and before `end`, s. `rate`: Hz. */
export function gridPart(start: number, end: number, rate: number): GridPart {
  const at = (time: number): number => Math.max(0, Math.ceil((time * rate - SAME_SAMPLES) / FRAME_SAMPLES))
  return { first: at(start), end: at(end) }
}
