// Bounds and times of the overlay of channels (decisions 0410 to 0414).

/** Nobody is looked for at so many peers, and strangers are refused above so many. */
export const TARGET_PEERS = 30
/** Strangers are refused above so many peers. */
export const MAX_PEERS = 80

/** Questions that wait for answers. */
export const MAX_ASKED = 256
/** An answer begins within this. */
export const ANSWER_MS = 2_500
/** No further part for so long: the rest is lost. */
export const QUIET_MS = 400
/**
 * Questions of ours to one peer: saved up, and one more each so many milliseconds; peers check 50 signatures a second
 * of us.
 */
export const QUESTIONS_TO_PEER = { burst: 100, refillMs: 25 } as const
/** Questions to one peer that are out at a time: at first, at most. */
export const FIRST_WINDOW = 4
/** Questions to one peer that are out at a time, at most. */
export const MAX_WINDOW = 16
/** Questions that wait for room at their peer. */
export const MAX_WAITING = 2_048

/** Questions of a peer that are answered: saved up, and one more each so many milliseconds. */
export const ANSWERED_OF_PEER = { burst: 200, refillMs: 20 } as const
/** Searches of a peer, and of all: the same. */
export const SEARCHES_OF_PEER = { burst: 10, refillMs: 1_000 } as const
/** Searches of all peers together that are answered. */
export const SEARCHES_OF_ALL = { burst: 60, refillMs: 50 } as const
/** KiB answered to a peer, and to all: the same. */
export const KIB_TO_PEER = { burst: 2_048, refillMs: 2 } as const
/** KiB that are answered to all peers together. */
export const KIB_TO_ALL = { burst: 8_192, refillMs: 0.5 } as const
/** Questions that are being answered: of a peer, of all. */
export const ANSWERING_OF_PEER = 16
/** Questions of all peers that are being answered. */
export const ANSWERING_OF_ALL = 128
/** Peers whose use is remembered. */
export const MAX_REMEMBERED_PEERS = 1_024

/** Bytes of records in an answer. */
export const MAX_ANSWER_BYTES = 40_960
/** Records of a preview, votes and addresses that an answer carries. */
export const PREVIEW_RECORDS = 20
/** Votes that an answer carries. */
export const TOLD_VOTES = 12
/** Addresses that an answer carries. */
export const TOLD_HOLDERS = 6
/** Records that no head has yet, of which ids are told. */
export const TOLD_EXTRAS = 512
/** Results of a search that are told, and peers asked. */
export const SEARCH_RESULTS = 20
/** Peers that are asked in a search. */
export const SEARCHED_PEERS = 20
/** Heads of one answer to a search that are taken in. */
export const MAX_FOUND_HEADS = 20

/** Between two times that a peer by chance is told what we have. */
export const GOSSIP_MS = 5_000
/** Channels told to a peer that comes, and of those told by chance. */
export const ANNOUNCED_TO_NEW_PEERS = 116
/** What peers are told when they are met is asked of the catalogue at most once in this time. */
export const WORTH_MS = 15_000
/** Changes are gathered so long before they are told. */
export const GATHER_MS = 60
/** Of one channel changes are told at most once in this time. */
export const TELL_AGAIN_MS = 800
/** What a newer head of a channel that is not wanted shows is asked for after this, of so many channels at a time. */
export const PREVIEW_MS = 1_500
/** Channels whose newer heads are looked at at a time. */
export const MAX_STALE = 1_024
/** Peers that hear at once of a new head of a channel that is only known here. */
export const RUMOUR_PEERS = 4
/** Channels of which we remember the newest number; the least recent goes first. */
export const MAX_SEEN = 20_000
/**
 * Unknown channels, or newer heads of others, that a peer may have us ask about: saved up, one more each so many
 * milliseconds.
 */
export const LEARNED_OF_PEER = { burst: 240, refillMs: 500 } as const
/** The same of all peers. */
export const LEARNED_OF_ALL = { burst: 400, refillMs: 100 } as const
/** A head that a peer named and did not give is asked for again after this. */
export const ASK_AGAIN_MS = 4_000
/** A head that the catalogue refused of a peer is not asked of that peer again for this long. */
export const REFUSED_MS = 600_000
/** Replies to what a peer has: the same as above. */
export const REPLIES_TO_PEER = { burst: 20, refillMs: 1_000 } as const

/** Channels of a peer that are remembered as held or wanted. */
export const MAX_HELD_OF_PEER = 256
/** Who gave what is forged is not asked for this long. */
export const BLAMED_MS = 600_000

/** Walks and fetches at a time. */
export const MAX_SYNCS = 4
/** Most changes that a walk finds; sets that differ in more travel as packs. */
export const MAX_WALK_IDS = 100_000
/** Questions of a walk, and of a fetch, that are out at a time. */
export const WALK_PARALLEL = 8
/** Questions of a fetch that are out at a time. */
export const FETCH_PARALLEL = 16
/** A peer that is busy is asked again after this, so many times. */
export const BUSY_MS = 300
/** A busy peer is asked again so many times. */
export const BUSY_TIMES = 10
/** A channel that could not be brought up to date is tried again after this, doubling up to the second. */
export const RETRY_MS = 2_000
/** The longest wait before a channel is tried again. */
export const MAX_RETRY_MS = 300_000
/** Channels that are wanted are looked after this often. */
export const CARE_MS = 15_000
/** Votes of a peer that are taken, and passed on: saved up, and one more each so many milliseconds. */
export const VOTES_OF_PEER = { burst: 60, refillMs: 1_000 } as const
/** Peers that a new vote is passed on to. */
export const VOTE_PEERS = 4
/** Peers that hear at once of records that no head has yet. */
export const EXTRA_PEERS = 32
/** Told ids of records of a peer that are asked for: the same. */
export const EXTRAS_OF_PEER = { burst: 200, refillMs: 500 } as const
/** Peers that are asked for holders of a wanted channel. */
export const SOUGHT_PEERS = 4
/** Peers that are asked for a channel that nobody here knows. */
export const FIND_PEERS = 16
/** They are asked again after this, while somebody waits. */
export const FIND_AGAIN_MS = 1_000
/** A channel's peers are asked for what no head has yet at most once in this time, so many of them. */
export const PULL_MS = 60_000
/** Peers of a channel that are asked for what no head has yet. */
export const PULLED_PEERS = 3
