// The page, in the language that main.tsx has chosen.

import './style/base.css'
import './style/frame.css'
import './style/list.css'
import './style/detail.css'
import './style/pages.css'
import './style/player.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { chapterPages } from './chapters.ts'
import { followChapters } from './node/chapter-use.ts'
import { followAddress, session } from './node/context.ts'
import { followForNotifications } from './node/notifications.ts'
import { guardRemovals } from './node/removals.ts'
import { keepTitle } from './title.ts'

const code = followAddress(chapterPages.map(({ id }) => id))
keepTitle()
guardRemovals()
followChapters(chapterPages)
followForNotifications()
const root = document.querySelector('#page')
if (root !== null) render(<App />, root)
void session.start(
  chapterPages.flatMap(({ unlisted = [] }) => unlisted),
  code,
)
