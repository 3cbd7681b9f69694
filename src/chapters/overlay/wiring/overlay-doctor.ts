// What anonymous downloads need: that settings allow them, the UDP port of the overlays, and the library that makes
// circuits fast. None of it stops a node that does everything in the open, so that nothing here is more than a warning.

import { sodiumPrimitives } from '../io/overlay-crypto-sodium.ts'
import { portSetting } from './overlay-options.ts'
import { type SwitchSettings, switchedOff } from './overlay-switch.ts'
import { type Finding, findingsOf, fine, warning } from '../../../node/doctor/finding.ts'
import { portState } from '../../../node/doctor/ports.ts'

const OTHER_PORT = 'End that program, or set {setting} to another port.'

/** What can be found, by codes; the dashboard has them in other languages. */
export const overlayFindings = {
  overlay_off: fine('overlay', 'Anonymous downloads are off ({setting}).'),
  overlay_port_random: fine('overlay', 'Overlays get a random UDP port when they start ({setting}).'),
  overlay_port_free: fine('overlay', '{protocol} port {port} on {host} ({setting}) is free.'),
  overlay_port_taken: warning(
    'overlay',
    '{protocol} port {port} on {host} ({setting}) is taken. The overlay takes another free port when it starts.',
    OTHER_PORT,
  ),
  overlay_port_taken_by: warning(
    'overlay',
    '{protocol} port {port} on {host} ({setting}) is taken by {holder}. The overlay takes another free port when it starts.',
    OTHER_PORT,
  ),
  overlay_port_forbidden: warning(
    'overlay',
    '{protocol} port {port} on {host} ({setting}): this user may not listen there. The overlay takes another free port when it starts.',
    'Set {setting} to a port from 1024 on.',
  ),
  overlay_port_no_address: warning(
    'overlay',
    '{protocol} port {port} on {host} ({setting}): this machine has no such address. Anonymous downloads cannot start.',
    'Use an address that `ip address` lists, or 127.0.0.1.',
  ),
  overlay_port_failed: warning(
    'overlay',
    '{protocol} port {port} on {host} ({setting}) cannot be had: {error}. Anonymous downloads cannot start.',
    'Set {setting} to another port.',
  ),
  overlay_fast: fine('overlay', 'Circuits are encrypted by sodium-native.'),
  overlay_slow: warning(
    'overlay',
    'The module sodium-native cannot be loaded: circuits are encrypted by slower means.',
    'Install the program again with optional packages, for this Node version and machine (npm ci).',
  ),
} as const

const finding = findingsOf(overlayFindings)

/** `isRunning`: a node of this state directory runs, and may have the port itself. */
export async function checkOverlay(settings: SwitchSettings, isRunning: boolean): Promise<Finding[]> {
  const off = switchedOff(settings)
  if (off !== '') return [finding('overlay_off', { setting: off })]
  return [...(isRunning ? [] : [await portFinding(settings)]), libraryFinding(sodiumPrimitives() !== null)]
}

async function portFinding({ ipv8, dispersy }: SwitchSettings): Promise<Finding> {
  const named = portSetting({ dispersy })
  const port = dispersy.port > 0 ? dispersy.port : ipv8.port
  if (port <= 0) return finding('overlay_port_random', { setting: named })
  const { code, parameters } = await portState({ host: ipv8.address, port, protocol: 'udp', named })
  return finding(`overlay_${code}`, parameters)
}

/** `loads`: sodium-native can be used. */
export function libraryFinding(loads: boolean): Finding {
  return finding(loads ? 'overlay_fast' : 'overlay_slow', {})
}
