// What anonymous downloads need: that settings allow them, the UDP port of the overlays, and the library that makes
// circuits fast. None of it stops a node that does everything in the open, so that nothing here is more than a warning.

import { sodiumPrimitives } from '../io/overlay-crypto-sodium.ts'
import { portSetting } from './overlay-options.ts'
import { type SwitchSettings, switchedOff } from './overlay-switch.ts'
import { fine, type Finding, warning } from '../../../node/doctor/finding.ts'
import { checkPort } from '../../../node/doctor/ports.ts'

/** `isRunning`: a node of this state directory runs, and may have the port itself. */
export async function checkOverlay(settings: SwitchSettings, isRunning: boolean): Promise<Finding[]> {
  const off = switchedOff(settings)
  if (off !== '') return [fine('overlay', `Anonymous downloads are off (${off}).`)]
  return [...(isRunning ? [] : [await portFinding(settings)]), libraryFinding(sodiumPrimitives() !== null)]
}

async function portFinding({ ipv8, dispersy }: SwitchSettings): Promise<Finding> {
  const named = portSetting({ dispersy })
  const port = dispersy.port > 0 ? dispersy.port : ipv8.port
  if (port <= 0) return fine('overlay', `Overlays get a random UDP port when they start (${named}).`)
  const at = { host: ipv8.address, protocol: 'udp', named } as const
  const { state, text, advice } = await checkPort({ ...at, port })
  if (state === 'ok') return fine('overlay', text)
  const other = await checkPort({ ...at, port: 0 })
  return other.state === 'ok'
    ? warning('overlay', `${text} The overlay takes another free port when it starts.`, advice)
    : warning('overlay', `${text} Anonymous downloads cannot start.`, advice)
}

/** `loads`: sodium-native can be used. */
export function libraryFinding(loads: boolean): Finding {
  return loads
    ? fine('overlay', 'Circuits are encrypted by sodium-native.')
    : warning(
        'overlay',
        'The module sodium-native cannot be loaded: circuits are encrypted by slower means.',
        'Install the program again with optional packages, for this Node version and machine (npm ci).',
      )
}
