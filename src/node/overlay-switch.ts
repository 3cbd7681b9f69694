// Whether settings allow the overlays and their circuits.

import type { Settings } from './settings-schema.ts'

/** Sections that say so. */
export type OverlaySettings = Pick<Settings, 'ipv8' | 'dispersy' | 'tunnel_community'>

/** The setting that forbids circuits; empty when they are allowed. */
export function switchedOff({ ipv8, dispersy, tunnel_community: tunnels }: OverlaySettings): string {
  if (!ipv8.enabled) return 'ipv8.enabled'
  if (!dispersy.enabled) return 'dispersy.enabled'
  return tunnels.enabled ? '' : 'tunnel_community.enabled'
}
