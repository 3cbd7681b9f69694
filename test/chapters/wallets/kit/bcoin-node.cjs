// bcoin 1.0.2 as a full node in regtest, in memory, without peers: `node bcoin-node.cjs <port> <key>`; prints `ready`
// when it answers.

'use strict'

process.env['NODE_BACKEND'] = 'js'
const FullNode = require('bcoin/lib/node/fullnode')

const [, , port, key] = process.argv
const node = new FullNode({
  ...{ network: 'regtest', memory: true, listen: false, noDns: true, httpHost: '127.0.0.1' },
  ...{ httpPort: Number(port), apiKey: key, indexTx: true, replaceByFee: true, workers: false },
})

node
  .open()
  .then(() => console.log('ready'))
  .catch(error => {
    console.error(error)
    process.exit(1)
  })
