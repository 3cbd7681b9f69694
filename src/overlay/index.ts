// What other folders use of the overlays.

export { CheckBudget } from './check-budget.ts'
export { Endpoint, type EndpointCounts } from './endpoint.ts'
export type { Identity, SignatureCheck } from './identity.ts'
export { Overlay, type OverlayCounts, type OverlayDeps, type OverlayOptions, type SignedSender } from './overlay.ts'
export { Overlays, type OverlaysDeps, type OverlaysOptions } from './overlays.ts'
export type { BootstrapAddress } from './bootstrap.ts'
export { OwnAddresses } from './own-addresses.ts'
export type { Peer } from './peer.ts'
export { canBeNode, mayTell } from './reachable.ts'
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
