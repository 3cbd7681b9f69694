// Reports the node's life to a service manager: systemd's notify protocol, for units of Type=notify. It goes through
// the program systemd-notify, as Node sends no datagrams to Unix sockets (decision 0364). Loaded only where
// NOTIFY_SOCKET names a socket.

import { execFile } from 'node:child_process'
import { errorText } from '../base/errors.ts'
import type { Log } from '../ports/log.ts'

/** systemd-notify waits until the manager has read; one that does not read must not hold up a stop. */
const LIMIT_MS = 2000

/** States of a service, as sd_notify(3) names them. */
export type ServiceState = 'READY=1' | 'STOPPING=1'

/**
 * Tells `socket` (the value of NOTIFY_SOCKET) the state of this service, and `status`, a line for people. Never
 * rejects: what cannot be sent is written to the log, and the node goes on.
 */
export function tellServiceManager(socket: string, state: ServiceState, status: string, log: Log): Promise<void> {
  const options = { env: { ...process.env, NOTIFY_SOCKET: socket }, timeout: LIMIT_MS }
  return new Promise(resolve => {
    execFile('systemd-notify', [state, `STATUS=${status}`], options, error => {
      if (error !== null) log.warn('the service manager was not told', { state, reason: errorText(error) })
      resolve()
    })
  })
}
