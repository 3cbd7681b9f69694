// The part of the package ws that tests use; it has no types of its own.

declare module 'ws' {
  import type { EventEmitter } from 'node:events'

  export default class WebSocket extends EventEmitter {
    constructor(url: string)
    send(text: string): void
    terminate(): void
  }
}
