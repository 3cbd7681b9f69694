// What hidden services counted, for statistics and tests.

/** Numbers since the start. */
export interface HiddenCounts {
  /** Circuits linked as downloader, and rendezvous given as seeder. */
  linked: number
  rendezvous: number
  /** Seeders registered here, and circuits of others linked here. */
  introduced: number
  joined: number
  /** Texts and packets that could not be read. */
  malformed: number
  /** Answers to no question, or that came another way than the question went. */
  unasked: number
  /** Answers whose proof is not the seeder's, and rendezvous infos that cannot be opened. */
  forged: number
  /** Cookies that no seeder left, and circuits that cannot be linked. */
  strangeCookies: number
  /** Registrations of a seeder or cookie that is registered, and handshakes that came again. */
  repeated: number
  /** For seeders or swarms that are not here. */
  unknown: number
  /** Beyond a bound or an allowance. */
  refused: number
}

/** All zero. */
export function newHiddenCounts(): HiddenCounts {
  return {
    linked: 0,
    rendezvous: 0,
    introduced: 0,
    joined: 0,
    malformed: 0,
    unasked: 0,
    forged: 0,
    strangeCookies: 0,
    repeated: 0,
    unknown: 0,
    refused: 0,
  }
}
