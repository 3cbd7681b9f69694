// What the pages of wallets say, in English.

import { textsOf } from '../../../../web/language/texts.ts'

const english = {
  wallets: 'Wallets',
  about:
    'A wallet holds coins that this node pays and is paid with, for example on the market. Downloads need none. Each wallet asks a server of yours about its chain, which is set in the settings.',
  showTest: 'Show test networks',
  asking: 'Loading…',
  lock: 'Lock',
  isLocked: '{{coin}} is locked.',
  unlock: 'Unlock',
  unlockLater: 'Unlock…',
  unlockCoin: 'Unlock {{coin}}',
  unlocked: 'Unlocked: it can spend.',
  locked: 'Locked.',
  chain: 'Chain: {{network}}.',
  open: 'Open {{coin}}',
  noServer:
    'No server is set for {{coin}}, so this wallet cannot be created. Enter the address of one under {{setting}} in the settings.',
  openSettings: 'Open Settings',
  createLater: 'Create {{coin}}…',
  createCoin: 'Create the {{coin}} wallet',
  create: 'Create',
  oneSeed: 'All wallets have one seed and one password. It cannot be replaced when it is forgotten.',
  password: 'Password',
  passwordAgain: 'Password again',
  newPassword: 'New password',
  spendKey: 'Spend key',
  spendKeyHelp: 'Only where one is demanded.',
  forSoLong: 'For',
  quarterHour: '15 minutes',
  anHour: 'An hour',
  aDay: 'A day',
  seedWords: 'The words of your seed',
  writeDown:
    'Write these words down, in this order. Whoever has them has your money, and without them it is lost when this node is. They are not shown again without the password.',
  wroteDown: 'I wrote them down',
  showSeed: 'Show the seed',
  showSeedLater: 'Show the seed…',
  show: 'Show',
  restoreSeed: 'Restore a seed',
  restoreSeedLater: 'Restore a seed…',
  restore: 'Restore',
  wordsOfSeed: 'Words of the seed',
  wordsHelp: '12 to 24 words, as they were shown.',
  seedKept: 'The seed is kept. Create the wallets that it had.',
  setAside: '{{amount}} of it set aside for the market',
  onTheWay: '{{amount}} on the way',
  balance: 'Balance',
  notCreated: 'This wallet is not created.',
  paidAt: 'Your address',
  copy: 'Copy',
  address: 'Address',
  transfer: 'Transfer',
  transferCoin: 'Transfer {{coin}}',
  amount: 'Amount',
  to: 'To',
  toAddress: 'To this address',
  feeOnTop: 'Fee, on top',
  noWayBack:
    'A transfer cannot be taken back, and coins sent to a wrong address are lost: compare it with the one you were given.',
  check: 'Check…',
  sent: 'Sent: {{txid}}',
  signed: 'Signed, and sent as soon as the server answers: {{txid}}',
  waitsForBlock: 'Waits for a block',
  confirmations_one: '{{count, number}} confirmation',
  confirmations_other: '{{count, number}} confirmations',
  sentTo: 'to {{address}}',
  received: 'received',
  fee: 'Fee {{amount}}',
  raiseFee: 'Raise the fee',
  feeRaised: 'The fee was raised.',
  history: 'Transactions',
  nothingYet: 'Nothing yet.',
} as const

/** Its texts by their keys, as translations have them. */
export type WalletsTexts = typeof english

/** One of these texts. */
export const text = textsOf('wallets', english)
