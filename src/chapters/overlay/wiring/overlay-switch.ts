// Whether settings allow the overlays and their circuits.

import type { OverlaySettings } from './settings-overlay.ts'

/** Sections that say so. */
export type SwitchSettings = Pick<OverlaySettings, 'ipv8' | 'dispersy' | 'tunnel_community'>

/** The setting that forbids all overlays; empty when they are allowed. */
export function overlaysOff({ ipv8, dispersy }: Pick<OverlaySettings, 'ipv8' | 'dispersy'>): string {
  if (!ipv8.enabled) return 'ipv8.enabled'
  return dispersy.enabled ? '' : 'dispersy.enabled'
}

/** The setting that forbids circuits; empty when they are allowed. */
export function switchedOff(settings: SwitchSettings): string {
  const off = overlaysOff(settings)
  return off !== '' || settings.tunnel_community.enabled ? off : 'tunnel_community.enabled'
}
