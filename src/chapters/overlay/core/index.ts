// What other folders use of the overlays.

export { CheckBudget } from './check-budget.ts'
export { Endpoint } from './endpoint.ts'
export type { Identity, SignatureCheck } from './identity.ts'
export { Overlay, type SignedSender } from './overlay.ts'
export { Overlays, type OverlaysOptions } from './overlays.ts'
export type { BootstrapAddress } from './bootstrap.ts'
export type { Peer } from './peer.ts'
export { canBeNode, mayTell } from './reachable.ts'
export { PeerBook } from './peer-book.ts'
export { type RequestKind, requestKind, Requests } from './requests.ts'
export type {
  Communities,
  Community,
  CommunityOptions,
  OverlayDht,
  PeerIntroductions,
} from './introduced.ts'
