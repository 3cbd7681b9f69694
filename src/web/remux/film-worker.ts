// The worker of the player: takes a film apart and makes of it what this browser plays. It has a policy of its own,
// which alone lets WebAssembly run (src/http/routes/dashboard.ts, decision 0545), and knows nothing but one link.

import { FilmReader } from './film-reader.ts'
import type { Note, Order } from './messages.ts'

const tell = (note: Note, transfer: ArrayBuffer[] = []): void => {
  globalThis.postMessage(note, { transfer })
}
// Not by the browser's cache, in which a request waits for others of the same address: for the element, which reads the
// film as long as it comes in.
const reader = new FilmReader((url, init) => fetch(url, { ...init, cache: 'no-store' }), tell)

globalThis.addEventListener('message', ({ data }: MessageEvent<Order>) => void reader.take(data))
