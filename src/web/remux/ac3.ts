// The decoder of AC-3 and E-AC-3: FFmpeg's, as WebAssembly, in a file of its own that is loaded when such sound is
// played (decision 0545).

import { registerAc3Decoder } from '@mediabunny/ac3'

/** From now on such sound can be decoded. */
export function registerAc3(): void {
  registerAc3Decoder()
}
