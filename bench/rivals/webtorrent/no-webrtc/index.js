// Stands in for WebRTC, which no peer of the benchmarks speaks and whose native part the registry does not carry.
export class RTCPeerConnection {}
export class RTCSessionDescription {}
export class RTCIceCandidate {}
export default {}
