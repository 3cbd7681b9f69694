// A double of the media server: complete records, every call noted.

import type { DlnaDeviceRecord, DlnaService } from '../../../../src/chapters/dlna/service/dlna-api.ts'
import { notedAnswers } from '../../../kit/doubles/noted-answers.ts'

const device: DlnaDeviceRecord = {
  id: '0123456789ab',
  address: '192.168.1.20',
  name: 'Television',
  allowed: true,
  streams: 1,
  first_seen: 7,
  last_seen: 8,
}

const served = {
  name: 'eth0',
  address: '192.168.1.2',
  port: 40000,
  location: 'http://192.168.1.2:40000/description.xml',
}

/** What the double of all services has for the media server. */
export function serviceDouble(note: (...call: unknown[]) => void): { readonly dlna: DlnaService } {
  const answer = notedAnswers(note)
  return {
    dlna: {
      state: answer('dlnaState', {
        enabled: true,
        running: true,
        name: 'Tributary',
        interfaces: [served],
        problem: '',
      }),
      devices: answer('dlnaDevices', [device]),
      allow: answer('dlnaAllow', device),
      forget: answer('dlnaForget', { id: device.id, forgotten: true as const }),
    },
  }
}
