// Types of the package as far as the tests use it.

declare module 'magnet-uri' {
  export function decode(uri: string): { infoHash?: string; dn?: string; announce: string[]; so?: number[] }
}
