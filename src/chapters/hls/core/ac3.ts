// The head of a frame of AC-3 and E-AC-3 (ETSI TS 102 366, 4.4.1 and E.1.3.1), as far as decoders refuse a frame for
// it. Damage behind it they conceal themselves.

/** Bytes of a frame of 48 kHz by its code, in pairs; of other rates as much longer as it lasts. */
const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
const RATES = [48_000, 44_100, 32_000]
const MAX_PLAIN_ID = 10
const MAX_ENHANCED_ID = 16

/** Whether a decoder takes it: it begins as frames do, and is all there. */
export function isAc3Frame(frame: Uint8Array): boolean {
  const [first, second, third = 0, fourth = 0, fifth = 0, sixth = 0] = frame
  if (frame.length < 8 || first !== 0x0b || second !== 0x77) return false
  const id = sixth >> 3
  if (id <= MAX_PLAIN_ID) return frame.length >= plainBytes(fifth >> 6, fifth & 63)
  // Dependent streams, and rates that are reserved, do not stand alone.
  const [type, isReserved] = [third >> 6, fifth >> 6 === 3 && ((fifth >> 4) & 3) === 3]
  if (id > MAX_ENHANCED_ID || type === 1 || type === 3 || isReserved) return false
  return frame.length >= 2 * (((third & 7) << 8) + fourth + 1)
}

/** More than any frame has where the head makes no sense. */
function plainBytes(rateCode: number, sizeCode: number): number {
  const [rate, kilobits] = [RATES[rateCode], KILOBITS[sizeCode >> 1]]
  if (rate === undefined || kilobits === undefined) return Number.POSITIVE_INFINITY
  const words = Math.floor((kilobits * 96_000) / rate)
  return 2 * (words + (rate === 44_100 ? sizeCode & 1 : 0))
}
