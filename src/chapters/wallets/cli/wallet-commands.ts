// Commands about wallets: one request each. Passwords, words and spend keys are no arguments: secret-input.ts.

import type { Command } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { forNode, type NodeFlags, runForNode } from '../../../cli/command-run.ts'
import type { JsonObject } from '../../../cli/node-client.ts'
import type { PlainCommand } from '../../../cli/plain-command.ts'
import {
  count,
  PASSWORD_VARIABLE,
  secret,
  SPEND_KEY_FLAGS,
  SPEND_KEY_TEXT,
  spendKey,
} from '../../../cli/secret-input.ts'
import { tableText } from '../../../cli/show.ts'

interface WalletRow {
  readonly identifier: string
  readonly created: boolean
  readonly unlocked: boolean
  readonly address: string
  readonly problem: string
  readonly balance: { readonly available_exact: string; readonly pending_exact: string }
}

interface SecretFlags extends NodeFlags {
  readonly passwordFile?: string
  readonly spendKeyFile?: string
  readonly wordsFile?: string
  readonly newKeyFile?: string
  readonly seconds?: number
  readonly fromHeight?: number
  readonly feeRate?: number
  readonly idempotencyKey?: string
}

const ONE = '/wallets/{identifier}'

function walletsText(wallets: readonly WalletRow[]): string {
  const columns = [
    { head: 'WALLET' },
    ...['AVAILABLE', 'PENDING'].map(head => ({ head, right: true })),
    ...['STATE', 'ADDRESS', 'PROBLEM'].map(head => ({ head })),
  ]
  const lines = wallets.map(({ identifier, created, unlocked, address, problem, balance }) => {
    const state = created ? (unlocked ? 'unlocked' : 'locked') : 'not created'
    return [
      identifier,
      created ? balance.available_exact : '',
      created ? balance.pending_exact : '',
      state,
      address,
      problem,
    ]
  })
  return tableText(columns, lines, process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)
}

/** Commands that are one request and need no secret. */
const WALLET_COMMANDS: readonly PlainCommand[] = [
  {
    words: 'wallets list',
    method: 'GET',
    path: '/wallets',
    text: 'All wallets.',
    human: answer => walletsText(answer['wallets'] as WalletRow[]),
  },
  { words: 'wallets balance', method: 'GET', path: `${ONE}/balance`, text: 'The balance of a wallet.' },
  { words: 'wallets transactions', method: 'GET', path: `${ONE}/transactions`, text: 'What came in and went out.' },
  {
    words: 'wallets fees',
    method: 'GET',
    path: `${ONE}/fees`,
    text: 'What a transfer costs now.',
    options: [
      { flags: '--amount <coins>', parameter: 'amount_exact', read: String, text: 'of this amount' },
      { flags: '--to <address>', parameter: 'destination', read: String, text: 'to this address' },
    ],
  },
  { words: 'wallets lock', method: 'POST', path: `${ONE}/lock`, text: 'Lock a wallet.' },
  {
    words: 'wallets audit',
    method: 'GET',
    path: '/wallets/audit',
    text: 'What was done with wallets, and refused.',
    options: [{ flags: '--limit <n>', parameter: 'limit', read: String, text: 'so many lines' }],
  },
]

const PASSWORD = '--password-file <file>'
const PASSWORD_TEXT =
  'file whose first line is the password; default: the variable TRIBUTARY_WALLET_PASSWORD, else standard input'

function addWalletCommands(wallets: Command): void {
  const named = (words: string, text: string): Command =>
    forNode(wallets.command(words).description(text)).option(SPEND_KEY_FLAGS, SPEND_KEY_TEXT)
  const send = (flags: SecretFlags, method: string, path: string, body: () => Promise<JsonObject>): Promise<void> =>
    runForNode(flags, async ({ node, show }) => {
      show(await node.call(method, path, { ...(await body()), ...(await spendKey(flags)) }))
    })
  const password = async ({ passwordFile }: SecretFlags) => ({
    password: await secret('Password', passwordFile, PASSWORD_VARIABLE),
  })
  addMaking(wallets, password, send)
  named('unlock <identifier>', 'Unlock a wallet for a while.')
    .option(PASSWORD, PASSWORD_TEXT)
    .option('--seconds <s>', 'time until it is locked again, 900 by default', count)
    .action((id: string, flags: SecretFlags) =>
      send(flags, 'POST', `/wallets/${encodeURIComponent(id)}/unlock`, async () => {
        return { ...(await password(flags)), ...(flags.seconds === undefined ? {} : { seconds: flags.seconds }) }
      }),
    )
  addSpending(named, send)
  named('export-seed', 'Show the words of the seed.')
    .option(PASSWORD, PASSWORD_TEXT)
    .action((flags: SecretFlags) => send(flags, 'POST', '/wallets/seed/export', () => password(flags)))
  named('set-spend-key', 'Demand a key beside the API key for whatever spends.')
    .option(PASSWORD, PASSWORD_TEXT)
    .requiredOption('--new-key-file <file>', 'file whose first line is the key')
    .action((flags: SecretFlags) =>
      send(flags, 'PUT', '/wallets/seed/spendkey', async () => {
        return { new_key: await secret('New key', flags.newKeyFile), ...(await password(flags)) }
      }),
    )
  named('remove-spend-key', 'Demand no spend key any more.')
    .option(PASSWORD, PASSWORD_TEXT)
    .action((flags: SecretFlags) => send(flags, 'DELETE', '/wallets/seed/spendkey', () => password(flags)))
}

type Send = (flags: SecretFlags, method: string, path: string, body: () => Promise<JsonObject>) => Promise<void>

function addMaking(wallets: Command, password: (flags: SecretFlags) => Promise<JsonObject>, send: Send): void {
  forNode(
    wallets.command('create <identifier>').description('Create a wallet; the first one shows the words of the seed.'),
  )
    .option(PASSWORD, PASSWORD_TEXT)
    .option('--from-height <n>', 'of a restored seed: block from which on it may have been paid', count)
    .action((id: string, flags: SecretFlags) =>
      send(flags, 'PUT', `/wallets/${encodeURIComponent(id)}`, async () => {
        return {
          ...(await password(flags)),
          ...(flags.fromHeight === undefined ? {} : { from_height: flags.fromHeight }),
        }
      }),
    )
  forNode(wallets.command('restore-seed').description('Take the seed of words that were written down.'))
    .requiredOption('--words-file <file>', 'file whose first line has the words')
    .option(PASSWORD, PASSWORD_TEXT)
    .action((flags: SecretFlags) =>
      send(flags, 'POST', '/wallets/seed/restore', async () => {
        return { seed_words: await secret('Words', flags.wordsFile), ...(await password(flags)) }
      }),
    )
}

function addSpending(named: (words: string, text: string) => Command, send: Send): void {
  const rated = (words: string, text: string): Command =>
    named(words, text).option(
      '--fee-rate <n>',
      'smallest units for a virtual byte; of ETH and TETH wei for one gas',
      count,
    )
  const rate = ({ feeRate }: SecretFlags): JsonObject => (feeRate === undefined ? {} : { fee_rate: feeRate })
  rated('transfer <identifier> <amount> <destination>', 'Transfer money; the wallet is unlocked.')
    .option('--idempotency-key <text>', 'with the same text a transfer is made once')
    .action((id: string, amount_exact: string, destination: string, flags: SecretFlags) =>
      send(flags, 'POST', `/wallets/${encodeURIComponent(id)}/transfer`, () => {
        const { idempotencyKey } = flags
        const once = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }
        return Promise.resolve({ amount_exact, destination, ...once, ...rate(flags) })
      }),
    )
  rated('raise-fee <identifier> <txid>', 'Send a transfer that waits anew, with a higher fee.').action(
    (id: string, txid: string, flags: SecretFlags) =>
      send(flags, 'POST', `/wallets/${encodeURIComponent(id)}/transactions/${encodeURIComponent(txid)}/fee`, () =>
        Promise.resolve(rate(flags)),
      ),
  )
}

/** All commands about wallets. */
export const walletCommands: ChapterCommands = {
  plain: WALLET_COMMANDS,
  groups: { wallets: 'Wallets, their seed and transfers.' },
  add: (_program, group) => addWalletCommands(group('wallets')),
}
