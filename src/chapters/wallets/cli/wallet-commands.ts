// Commands about wallets: one request each. Passwords, words and spend keys are no arguments: secret-input.ts.

import type { Command } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { forNode, type NodeFlags, runForNode } from '../../../cli/command-run.ts'
import type { NodeClient } from '../../../cli/node-client.ts'
import type { PlainCommandOf } from '../../../cli/plain-command.ts'
import {
  count,
  PASSWORD_VARIABLE,
  secret,
  SPEND_KEY_FLAGS,
  SPEND_KEY_TEXT,
  spendKey,
} from '../../../cli/secret-input.ts'
import { tableText } from '../../../cli/show.ts'
import type { ParametersOf } from '../../../client/routes.ts'
import type { Wallet, WalletRoutes } from '../client/routes.ts'

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

function walletsText(wallets: readonly Wallet[]): string {
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
const WALLET_COMMANDS: readonly PlainCommandOf<WalletRoutes>[] = [
  {
    words: 'wallets list',
    route: 'GET /wallets',
    text: 'All wallets.',
    human: ({ wallets }) => walletsText(wallets),
  },
  { words: 'wallets balance', route: 'GET /wallets/{identifier}/balance', text: 'The balance of a wallet.' },
  {
    words: 'wallets transactions',
    route: 'GET /wallets/{identifier}/transactions',
    text: 'What came in and went out.',
  },
  {
    words: 'wallets fees',
    route: 'GET /wallets/{identifier}/fees',
    text: 'What a transfer costs now.',
    options: [
      { flags: '--amount <coins>', parameter: 'amount_exact', read: String, text: 'of this amount' },
      { flags: '--to <address>', parameter: 'destination', read: String, text: 'to this address' },
    ],
  },
  { words: 'wallets lock', route: 'POST /wallets/{identifier}/lock', text: 'Lock a wallet.' },
  {
    words: 'wallets audit',
    route: 'GET /wallets/audit',
    text: 'What was done with wallets, and refused.',
    options: [{ flags: '--limit <n>', parameter: 'limit', read: String, text: 'so many lines' }],
  },
]

const PASSWORD = '--password-file <file>'
const PASSWORD_TEXT =
  'file whose first line is the password; default: the variable TRIBUTARY_WALLET_PASSWORD, else standard input'

type Parameters = ParametersOf<WalletRoutes, 'POST /wallets/{identifier}/unlock'>

async function password({ passwordFile }: SecretFlags): Promise<Pick<Parameters, 'password'>> {
  return { password: await secret('Password', passwordFile, PASSWORD_VARIABLE) }
}

/** Shows the answer of one request. */
function showAnswer(flags: SecretFlags, ask: (node: NodeClient<WalletRoutes>) => Promise<unknown>): Promise<void> {
  return runForNode<WalletRoutes>(flags, async ({ node, show }) => show(await ask(node)))
}

function addWalletCommands(wallets: Command): void {
  const named = (words: string, text: string): Command =>
    forNode(wallets.command(words).description(text)).option(SPEND_KEY_FLAGS, SPEND_KEY_TEXT)
  addMaking(wallets)
  named('unlock <identifier>', 'Unlock a wallet for a while.')
    .option(PASSWORD, PASSWORD_TEXT)
    .option('--seconds <s>', 'time until it is locked again, 900 by default', count)
    .action((identifier: string, flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const time = flags.seconds === undefined ? {} : { seconds: flags.seconds }
        const parameters = { ...(await password(flags)), ...time, ...(await spendKey(flags)) }
        return node.call('POST /wallets/{identifier}/unlock', { path: { identifier }, parameters })
      }),
    )
  addSpending(named)
  addSeed(named)
}

function addSeed(named: (words: string, text: string) => Command): void {
  named('export-seed', 'Show the words of the seed.')
    .option(PASSWORD, PASSWORD_TEXT)
    .action((flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const parameters = { ...(await password(flags)), ...(await spendKey(flags)) }
        return node.call('POST /wallets/seed/export', { parameters })
      }),
    )
  named('set-spend-key', 'Demand a key beside the API key for whatever spends.')
    .option(PASSWORD, PASSWORD_TEXT)
    .requiredOption('--new-key-file <file>', 'file whose first line is the key')
    .action((flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const newKey = await secret('New key', flags.newKeyFile)
        const parameters = { new_key: newKey, ...(await password(flags)), ...(await spendKey(flags)) }
        return node.call('PUT /wallets/seed/spendkey', { parameters })
      }),
    )
  named('remove-spend-key', 'Demand no spend key any more.')
    .option(PASSWORD, PASSWORD_TEXT)
    .action((flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const parameters = { ...(await password(flags)), ...(await spendKey(flags)) }
        return node.call('DELETE /wallets/seed/spendkey', { parameters })
      }),
    )
}

function addMaking(wallets: Command): void {
  forNode(
    wallets.command('create <identifier>').description('Create a wallet; the first one shows the words of the seed.'),
  )
    .option(PASSWORD, PASSWORD_TEXT)
    .option('--from-height <n>', 'of a restored seed: block from which on it may have been paid', count)
    .action((identifier: string, flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const height = flags.fromHeight === undefined ? {} : { from_height: flags.fromHeight }
        const parameters = { ...(await password(flags)), ...height, ...(await spendKey(flags)) }
        return node.call('PUT /wallets/{identifier}', { path: { identifier }, parameters })
      }),
    )
  forNode(wallets.command('restore-seed').description('Take the seed of words that were written down.'))
    .requiredOption('--words-file <file>', 'file whose first line has the words')
    .option(PASSWORD, PASSWORD_TEXT)
    .action((flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const words = await secret('Words', flags.wordsFile)
        const parameters = { seed_words: words, ...(await password(flags)), ...(await spendKey(flags)) }
        return node.call('POST /wallets/seed/restore', { parameters })
      }),
    )
}

function addSpending(named: (words: string, text: string) => Command): void {
  const rated = (words: string, text: string): Command =>
    named(words, text).option(
      '--fee-rate <n>',
      'smallest units for a virtual byte; of ETH and TETH wei for one gas',
      count,
    )
  const rate = ({ feeRate }: SecretFlags) => (feeRate === undefined ? {} : { fee_rate: feeRate })
  rated('transfer <identifier> <amount> <destination>', 'Transfer money; the wallet is unlocked.')
    .option('--idempotency-key <text>', 'with the same text a transfer is made once')
    .action((identifier: string, amount_exact: string, destination: string, flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const once = flags.idempotencyKey === undefined ? {} : { idempotency_key: flags.idempotencyKey }
        const parameters = { amount_exact, destination, ...once, ...rate(flags), ...(await spendKey(flags)) }
        return node.call('POST /wallets/{identifier}/transfer', { path: { identifier }, parameters })
      }),
    )
  rated('raise-fee <identifier> <txid>', 'Send a transfer that waits anew, with a higher fee.').action(
    (identifier: string, txid: string, flags: SecretFlags) =>
      showAnswer(flags, async node => {
        const parameters = { ...rate(flags), ...(await spendKey(flags)) }
        return node.call('POST /wallets/{identifier}/transactions/{txid}/fee', {
          path: { identifier, txid },
          parameters,
        })
      }),
  )
}

/** All commands about wallets. */
export const walletCommands: ChapterCommands = {
  plain: WALLET_COMMANDS,
  groups: { wallets: 'Wallets, their seed and transfers.' },
  add: (_program, group) => addWalletCommands(group('wallets')),
}
