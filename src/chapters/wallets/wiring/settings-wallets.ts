// Section wallets: the servers of the chains, which chains the test coins live on, and how much may leave.

import type { Settings, ValuesOf } from '../../../node/settings/settings-schema.ts'
import type { SettingsTable } from '../../../node/settings/settings-table.ts'
import { Secret } from '../../../base/secret.ts'
import type { OptionSpec } from '../../../node/settings/settings-option.ts'

/** The address may have credentials in it, so it is not shown. */
function server(doc: string) {
  return {
    ...({ kind: 'secret', format: 'http-url', maxLength: 2048, optional: true, secret: true } as const),
    default: Secret.none,
    needsRestart: false,
    doc,
  }
}

const LIKE_BITCOIN = 'JSON-RPC address of a full node, such as http://user:password@127.0.0.1'
const LIKE_ETHEREUM = 'JSON-RPC address of a node, such as http://127.0.0.1:8545'

const walletSettings = {
  btc_server: server(`Bitcoin: ${LIKE_BITCOIN}:8332; empty = none.`),
  tbtc_server: server(`Bitcoin for tests: ${LIKE_BITCOIN}:18332; empty = none.`),
  ltc_server: server(`Litecoin: ${LIKE_BITCOIN}:9332; empty = none.`),
  tltc_server: server(`Litecoin for tests: ${LIKE_BITCOIN}:19332; empty = none.`),
  eth_server: server(`Ethereum: ${LIKE_ETHEREUM}; empty = none.`),
  teth_server: server(`Ethereum for tests: ${LIKE_ETHEREUM}; empty = none.`),
  tbtc_network: {
    kind: 'choice',
    values: ['testnet', 'testnet4', 'signet', 'regtest'],
    default: 'testnet4',
    needsRestart: false,
    doc: 'Chain of a TBTC wallet that is made; it stays there.',
  },
  tltc_network: {
    kind: 'choice',
    values: ['testnet', 'regtest'],
    default: 'testnet',
    needsRestart: false,
    doc: 'Chain of a TLTC wallet that is made; it stays there.',
  },
  teth_chain_id: {
    kind: 'integer',
    min: 2,
    max: Number.MAX_SAFE_INTEGER,
    default: 11_155_111,
    needsRestart: false,
    doc: 'Chain of a TETH wallet that is made, Sepolia by default; it stays there.',
  },
  transfer_limits: {
    kind: 'list',
    of: 'coin-limit',
    default: [],
    needsRestart: false,
    doc: 'The most that one transfer may have with its fee, such as BTC=0.1; coins that are not named have no limit.',
  },
  day_limits: {
    kind: 'list',
    of: 'coin-limit',
    default: [],
    needsRestart: false,
    doc: 'The most that may leave a wallet in 24 hours with fees, such as BTC=0.5; coins that are not named have no limit.',
  },
} as const satisfies Record<string, OptionSpec>

const sections = { wallets: walletSettings }

/** The settings of wallets, with those of the core. */
export type WalletsSettings = Settings & ValuesOf<typeof sections>

/** Settings of the node as wallets see them. */
export function walletsSettingsOf(values: Settings): WalletsSettings {
  // They are in the table that the values were read by (settings-table.ts).
  return values as WalletsSettings
}

/** Its sections, and who may change what in them (decision 0450). */
export const walletsTable: SettingsTable = {
  sections,
  rights: { wallets: 'first' },
}
