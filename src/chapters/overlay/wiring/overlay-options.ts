// The overlay as the settings ask for it. Pure; loads nothing of the overlay.

import type { OverlaysOptions } from '../core/index.ts'
import { overlaysOff, switchedOff } from './overlay-switch.ts'
import type { OverlaySettings } from './settings-overlay.ts'

/** True when the overlay starts with the node: it is asked to, or to let others out. */
export function startsAtOnce(settings: OverlaySettings): boolean {
  if (overlaysOff(settings) !== '') return false
  return (
    settings.ipv8.start === 'always' || (switchedOff(settings) === '' && settings.tunnel_community.exitnode_enabled)
  )
}

/** The setting that names the port. */
export function portSetting({ dispersy }: Pick<OverlaySettings, 'dispersy'>): string {
  return dispersy.port > 0 ? 'dispersy.port' : 'ipv8.port'
}

/** Where the port is, and who is asked first. */
export function overlaysOptions({ ipv8, dispersy }: OverlaySettings): OverlaysOptions {
  const port = dispersy.port > 0 ? dispersy.port : ipv8.port
  return {
    ip: ipv8.address === '0.0.0.0' ? null : ipv8.address,
    port: Math.max(0, port),
    bootstrap: bootstrapOf(ipv8.bootstrap_override),
    stepMs: ipv8.walk_interval * 1000,
  }
}

/** Null: the servers of the network; a colon alone: none. */
function bootstrapOf(text: string): OverlaysOptions['bootstrap'] {
  if (text === '') return null
  const parts = text.split(',').map(part => part.trim())
  return parts
    .filter(part => part !== ':')
    .map(part => ({ host: part.slice(0, part.lastIndexOf(':')), port: Number(part.slice(part.lastIndexOf(':') + 1)) }))
}
