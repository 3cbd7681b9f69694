// The worker of the player: takes a film apart and makes of it what this browser plays. It has a policy of its own,
// which alone lets WebAssembly run (src/http/routes/dashboard.ts, decision 0545), and knows nothing but one link.

import type { FilmReader } from './film-reader.ts'
import type { Note, Order } from './messages.ts'

const tell = (note: Note, transfer: ArrayBuffer[] = []): void => {
  globalThis.postMessage(note, { transfer })
}

// Nothing that others import lies in this script: WebKit runs the script of a worker once more for each part that
// imports something of it, and what a part registers is then in another copy of the package than the one that is asked.
async function readerOf(): Promise<FilmReader> {
  const part = await import('./film-reader.ts')
  // Not by the browser's cache, in which a request waits for others of the same address: for the element, which reads
  // the film as long as it comes in.
  return new part.FilmReader((url, init) => fetch(url, { ...init, cache: 'no-store' }), tell)
}

const opened = readerOf()

/** Orders come in turn: those that were sent while the part was loaded too. */
async function take(order: Order): Promise<void> {
  try {
    void (await opened).take(order)
  } catch {
    tell({ note: 'failed', why: 'film', kind: null, text: 'A part of the player could not be loaded.' })
  }
}

// What a decoder of the package refuses it also rejects where nobody listens: the run has heard of it, and says so.
globalThis.addEventListener('unhandledrejection', event => event.preventDefault())
globalThis.addEventListener('message', ({ data }: MessageEvent<Order>) => void take(data))
void opened.then(
  () => tell({ note: 'here' }),
  () => undefined,
)
