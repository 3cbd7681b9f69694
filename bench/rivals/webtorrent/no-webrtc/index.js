// Stands in for WebRTC, which no peer of the benchmarks speaks and whose native part the registry does not carry.
export const RTCPeerConnection = null
export const RTCSessionDescription = null
export const RTCIceCandidate = null
export default {}
