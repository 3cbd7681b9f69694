// A double of the service of sign-in codes: takes one code, notes every call.

import { AppError } from '../../../src/base/errors.ts'
import type { LoginService } from '../../../src/services/login/login-api.ts'

/** The code that is taken. */
export const CODE = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345'

/** What the double of all services has for them. */
export function loginDouble(note: (...call: unknown[]) => void): LoginService {
  return {
    offer(order) {
      note('offerLogin', order)
      return { id: '1', code: CODE, scopes: ['read'], expires: 1.5 }
    },
    look: id => ({ id, state: 'waiting', name: '' }),
    withdraw(id) {
      note('withdrawLogin', id)
      return { id, state: 'used', name: '' }
    },
    async take(code, device, isNear) {
      if (code !== CODE) throw new AppError('LoginCodeUnknown')
      note('takeLogin', device, isNear)
      return { name: device, scopes: ['read'], label: null, key: 'k' }
    },
  }
}
