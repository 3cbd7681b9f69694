// Sound of any number of channels as two (ITU-R BS.775): the centre and the sides go to both, deep tones are left out.
// Channels in the order of WAVE files: left, right, centre, deep, sides.

const HALF_POWER = Math.SQRT1_2

/** How much of each channel goes left and right. */
type Shares = readonly (readonly [left: number, right: number])[]

const LEFT = [1, 0] as const
const RIGHT = [0, 1] as const
const CENTRE = [HALF_POWER, HALF_POWER] as const
const SIDE_LEFT = [HALF_POWER, 0] as const
const SIDE_RIGHT = [0, HALF_POWER] as const
const NOTHING = [0, 0] as const

/** By the number of channels. */
const SHARES: Readonly<Record<number, Shares>> = {
  1: [[1, 1]],
  2: [LEFT, RIGHT],
  3: [LEFT, RIGHT, CENTRE],
  4: [LEFT, RIGHT, SIDE_LEFT, SIDE_RIGHT],
  5: [LEFT, RIGHT, CENTRE, SIDE_LEFT, SIDE_RIGHT],
  6: [LEFT, RIGHT, CENTRE, NOTHING, SIDE_LEFT, SIDE_RIGHT],
  7: [LEFT, RIGHT, CENTRE, NOTHING, CENTRE, SIDE_LEFT, SIDE_RIGHT],
  8: [LEFT, RIGHT, CENTRE, NOTHING, SIDE_LEFT, SIDE_RIGHT, SIDE_LEFT, SIDE_RIGHT],
}

/** Both channels; what would be too loud together is made quieter by one factor. */
export function stereoOf(channels: readonly Float32Array[]): [left: Float32Array, right: Float32Array] {
  const shares = SHARES[channels.length] ?? [LEFT, RIGHT]
  const sum = Math.max(...[0, 1].map(side => shares.reduce((total, share) => total + (share[side] ?? 0), 0)))
  const length = channels[0]?.length ?? 0
  const sides = [new Float32Array(length), new Float32Array(length)] as const
  for (const [at, channel] of channels.entries()) {
    for (const side of [0, 1] as const) {
      const share = (shares[at]?.[side] ?? 0) / Math.max(1, sum)
      const out = sides[side]
      if (share !== 0)
        for (let sample = 0; sample < length; sample += 1)
          out[sample] = (out[sample] ?? 0) + share * (channel[sample] ?? 0)
    }
  }
  return [...sides]
}
