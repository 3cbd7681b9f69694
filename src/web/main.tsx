// Starts the dashboard.

import './style/base.css'
import './style/frame.css'
import './style/list.css'
import './style/detail.css'
import './style/pages.css'
import '../chapters/circuits/web/circuits.css'
import '../chapters/channels/web/channels.css'
import '../chapters/wallets/web/wallets.css'
import '../chapters/market/web/market.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { session } from './node/context.ts'

const root = document.querySelector('#page')
if (root !== null) render(<App />, root)
void session.start()
