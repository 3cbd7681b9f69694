// Times and bounds of circuits. The first ones are shared by all nodes of the network (protocol of the overlay, section
// 12), the others are our own, so that nothing a stranger sends can grow. Milliseconds and bytes.

/** A last hop that a circuit must have is waited for so long: the hop before it may have to find it first. */
export const NEXT_HOP_TIMEOUT_MS = 10_000
/** First hops that are tried. */
export const NEXT_HOP_TRIES = 6
/** A circuit is ready within this, or given up. */
export const CIRCUIT_CREATION_MS = 60_000
/** An extend is taken for so long after the create. */
export const EXTEND_WITHIN_MS = 60_000
/** Between two pings of a circuit. */
export const CIRCUIT_PING_MS = 7_500
/** Between two looks at ages and silence. */
export const MAINTENANCE_MS = 5_000
/** Circuits, relays and exits without traffic end after this. */
export const INACTIVE_MS = 20_000
/** Age at which circuits and exits end. */
export const MAX_AGE_MS = 3_600_000
/** The same of circuits to introduction points. */
export const MAX_INTRODUCTION_AGE_MS = 86_400_000
/** Traffic at which circuits and exits end. */
export const MAX_CIRCUIT_BYTES = 10 * 1024 ** 3
/** Entries stay usable for so long after their removal was decided. */
export const REMOVAL_DELAY_MS = 5_000

// Our own.

/**
 * Another hop is asked beside one that has not answered within this. Handshakes take milliseconds, ways less than a
 * second.
 */
export const HOP_PATIENCE_MS = 2_500
/**
 * Hops that are tried behind one that answered: where more are silent it is that one, and another circuit is sooner
 * there.
 */
export const FURTHER_HOP_TRIES = 3
/** A circuit that has a hop waits so long for a node to be known that can be the next. */
export const FURTHER_HOP_WAIT_MS = 5_000
/** Circuits that wait for candidates choose so long after the first one is known. */
export const CANDIDATES_SETTLE_MS = 300

/** Creates of ours for others that wait for their answers. */
export const MAX_LINKS = 256
/**
 * Creates of one address that are answered, as each costs a handshake: saved up, and one more each so many
 * milliseconds.
 */
export const CREATES_OF_ADDRESS = { burst: 40, refillMs: 250 } as const
/** The same of all addresses together. */
export const CREATES_OF_ALL = { burst: 60, refillMs: 20 } as const
/** Addresses whose creates are counted. */
export const MAX_CREATING_ADDRESSES = 1_024
/** Circuit ids of creates that are remembered. */
export const MAX_CREATES_REMEMBERED = 8_192
/** Datagrams of one exit that wait for sockets or names. */
export const EXIT_QUEUE = 10
/** HTTP requests of one circuit at a time. */
export const HTTP_REQUESTS = 5
/** The same of all circuits together. */
export const MAX_HTTP_REQUESTS = 32
/** Time of an HTTP request. */
export const HTTP_TIMEOUT_MS = 5_000
/** Bytes of an answer that an exit returns. */
export const MAX_HTTP_ANSWER_BYTES = 1024 * 1024
/** Such an answer may come in so many pieces. */
export const MAX_HTTP_CHUNKS = 2_048
/** Parts of an answer that leave in one turn. */
export const HTTP_PARTS_A_TURN = 32
/** Between such turns. */
export const HTTP_TURN_MS = 2
/** Answers to speed tests of one circuit: saved up, and one more each so many milliseconds. */
export const TEST_ANSWERS = { burst: 2_048, refillMs: 2 } as const
/** Bytes of one. */
export const TEST_ANSWER_BYTES = 2_048
/** A ping that is not answered within this failed; after a failed one the next follows at once. */
export const PING_TIMEOUT_MS = 2_500
/** We sent so long without hearing anything: ping now. */
export const SILENCE_MS = 2_000
/** Between looks at how circuits do. */
export const HEALTH_MS = 1_000
/** Pings whose answers say what a circuit loses. */
export const PINGS_KEPT = 16
/** So many are needed to judge by them. */
export const LOSS_PINGS = 8
/** A circuit is given up from so many cells on that could not be read, when they are also this part of all. */
export const BAD_CELLS = { least: 16, part: 0.1 } as const
/** Destinations of a lane's socket whose circuits are remembered. */
export const MAX_ROUTES = 4_096
/** Bytes of a slot for sending: more than a datagram of Ethernet has. */
export const SLOT_BYTES = 2_048
/** Slots of a ring. */
export const SLOTS = 32
/** Between looks at the circuits of a lane. */
export const LANE_LOOK_MS = 1_000
/** Circuits of a lane are kept so long without downloads. */
export const IDLE_LANE_MS = 60_000
/** They are replaced so long before they are too old. */
export const REPLACE_BEFORE_MS = 60_000
/** Wait after a circuit that could not be built; it doubles four times. */
export const BUILD_AGAIN_MS = 1_000
/** HTTP exchanges of our own at a time. */
export const MAX_EXCHANGES = 64
/** Bytes of a request: it has to fit one cell. */
export const MAX_REQUEST_BYTES = 4_096
