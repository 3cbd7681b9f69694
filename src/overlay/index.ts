// What other folders use of the overlays.

export { CheckBudget } from './check-budget.ts'
export { Endpoint, type EndpointCounts, PREFIX_BYTES } from './endpoint.ts'
export type { Identity, SignatureCheck } from './identity.ts'
export type { MessageType } from './message-type.ts'
export { Overlay, type OverlayCounts, type OverlayDeps, type OverlayOptions, type SignedSender } from './overlay.ts'
export { plainPacket, prefixOf, signedPacket } from './packet.ts'
export { ed25519Of, type Peer, PUBLIC_KEY_BYTES, x25519Of } from './peer.ts'
export { PeerBook } from './peer-book.ts'
export { DEFAULT_REQUEST_TIMEOUT_MS, type RequestKind, requestKind, Requests } from './requests.ts'
export type {
  Communities,
  Community,
  CommunityOptions,
  FoundValue,
  OverlayDht,
  PeerIntroductions,
} from './introduced.ts'
