// Times and bounds of hidden services. Those of the network's protocol say its section; the others are ours, so that
// nothing grows.

/** How often a swarm thinks of looking up. */
export const LOOKUP_TICK_MS = 1_000
/** Between two look-ups of a swarm (8.3). */
export const LOOKUP_EVERY_MS = 30_000
/** The same at first and while no seeder is linked; each time it is so much longer. */
export const FIRST_LOOKUPS_EVERY_MS = 1_000
/** How much longer. */
export const LOOKUPS_SLOWER = 1.5
/** A seeder that could not be met is looked for as after so many. */
export const SOON_LOOKUPS = 3
/** The overlay DHT is asked again after this (8.3). */
export const DHT_LOOKUP_EVERY_MS = 300_000
/** The same while no seeder is linked (others: 120 s, and only while no point is known). */
export const DHT_LOOKUP_UNLINKED_MS = 60_000
/** No look-ups with so many linked circuits. */
export const MAX_CONNECTIONS = 15
/** Introduction points not seen for this are forgotten. */
export const POINT_AGE_MS = 180_000
/** Introduction points of one swarm that are known. */
export const MAX_POINTS = 64
/** Introduction points in a peers-response. */
export const POINTS_IN_RESPONSE = 7
/**
 * Waiting for the answers of each step. Points of others answer a repeated establish-rendezvous again, the others once:
 * it is the question that is more often lost then.
 */
export const STEP_PATIENCE = {
  peers: { timeoutMs: 10_000, againMs: null },
  /** The seeder builds a circuit meanwhile. Another attempt begins sooner. */
  created: { timeoutMs: 10_000, againMs: null },
  linked: { timeoutMs: 4_000, againMs: 1_250 },
  introduced: { timeoutMs: 6_000, againMs: 1_750 },
  established: { timeoutMs: 6_000, againMs: 1_750 },
} as const
/** Circuits of a hop count that introduction points are asked over. */
export const CONTACT_CIRCUITS = 2
/** The second one begins so long after the first, when more nodes are known. */
export const CONTACT_GAP_MS = 1_000
/** Questions in a row without answer after which another one takes the place of such a circuit. */
export const CONTACT_MISSES = 2
/**
 * An attempt to meet a seeder that is silent for so long, and so many round-trip times of the contact circuit, gets
 * another beside it.
 */
export const RENDEZVOUS_PATIENCE_MS = 600
/** The round-trip times of that. */
export const RENDEZVOUS_PATIENCE_RTTS = 10
/** For each hop of the download it is at most so much more. */
export const RENDEZVOUS_PATIENCE_A_HOP_MS = 1_400
/** Attempts of one rendezvous. */
export const RENDEZVOUS_TRIES = 8

/** Introduction points of one swarm, while half of all places are free; else one. */
export const INTRODUCTION_POINTS = 2
/** Introduction points of all swarms. */
export const MAX_INTRODUCTION_POINTS = 50
/** A failed introduction point is replaced after this. */
export const INTRODUCTION_RETRY_MS = 1_000
/** It is doubled each time up to this. */
export const MAX_INTRODUCTION_RETRY_MS = 30_000
/** Rendezvous circuits of a swarm on their way. */
export const MAX_RENDEZVOUS_PENDING = 8
/** Rendezvous circuits of a swarm at all. */
export const MAX_RENDEZVOUS = 64
/** Rendezvous circuits that a swarm begins: saved up, and one more each so many ms. */
export const RENDEZVOUS_RATE = { burst: 16, refillMs: 500 } as const
/** Downloaders' keys that are known when they come again. */
export const MAX_EPHEMERALS_REMEMBERED = 256

/** Seeders that one circuit of others may register here. */
export const MAX_SEEDERS_OF_CIRCUIT = 4
/** Seeders that all circuits together may register here. */
export const MAX_SEEDERS_SERVED = 200
/** Cookies that one circuit may leave here. */
export const MAX_COOKIES_OF_CIRCUIT = 2
/** Cookies that all circuits together may leave here. */
export const MAX_COOKIES = 500
/** Packets passed on to one seeder: saved up, and one more each so many ms. */
export const FORWARDED = { burst: 30, refillMs: 200 } as const
/** Look-ups for one circuit of others: saved up, and one more each so many ms. */
export const LOOKUPS_OF_CIRCUIT = { burst: 10, refillMs: 3_000 } as const
/** Look-ups in the DHT for others at a time. */
export const MAX_LOOKUPS_SERVED = 16
/** Answers to peers-requests that came as bare packets: an answer is far longer than its question. */
export const ANSWERS_OF_ADDRESS = { burst: 6, refillMs: 1_000 } as const
/** Addresses whose answers are counted. */
export const MAX_ANSWERED_ADDRESSES = 512

/** A value in the DHT lives for 3600 s (section 6): it is renewed before. */
export const ANNOUNCE_EVERY_MS = 2_700_000
/** Tried again after this when nobody took it; doubled each time, up to the second one. */
export const ANNOUNCE_RETRY_MS = 2_000
/** The longest of these waits. */
export const MAX_ANNOUNCE_RETRY_MS = 60_000
/** Overlays of introduction points that we take part in (8.6). */
export const MAX_PEX_OVERLAYS = 64
/** Peers that are looked for in one. */
export const PEX_PEERS = 10
/** Between two steps of its walk. */
export const PEX_STEP_MS = 5_000
/** Seeders named in one introduction. */
export const PEX_KEYS = 10
/** Seeders of others that are remembered. */
export const PEX_ENTRIES = 20
/** Used for so long. */
export const PEX_ENTRY_AGE_MS = 300_000
