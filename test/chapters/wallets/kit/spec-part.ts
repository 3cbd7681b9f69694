// What wallets add to the tables of the specification; their own tests ask their routes.

import type { SpecPart } from '../../../contract/spec/spec-parts.ts'
import { WALLET_ROUTES } from './spec-routes.ts'

export const specPart: SpecPart = { documented: WALLET_ROUTES }
