// What the list can be narrowed to, with how many there are: states, problems, labels, trackers, folders. Beside the
// list on a desk, over it on a phone.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { FacetCount, Facets } from '../../../wire/list/facet-counts.ts'
import type { Group } from '../../model/download-groups.ts'
import { readable } from '../../model/format.ts'
import { keep, readKept } from '../../model/kept.ts'
import { type FacetKind, statesOf, type View, withFacet, withGroup } from '../../model/list-view.ts'
import { session } from '../../node/context.ts'
import { text } from '../../texts/downloads/list.ts'

interface SideBarProps {
  readonly view: View
  setView(view: View): void
}

/** Values of a kind that are shown before the others are asked for. */
const FEW = 12

type StateRow = readonly [Exclude<Group, 'inactive' | 'paused'>, 'always' | 'any']

/** Which states there are always, and which only while a download is in them. */
const states: readonly StateRow[] = [
  ['all', 'always'],
  ['active', 'always'],
  ['downloading', 'always'],
  ['seeding', 'always'],
  ['completed', 'always'],
  ['stopped', 'always'],
  ['queued', 'any'],
  ['checking', 'any'],
  ['metadata', 'any'],
  ['circuits', 'any'],
  ['allocating', 'any'],
  ['moving', 'any'],
]
const problems: readonly StateRow[] = [
  ['trouble', 'always'],
  ['errored', 'any'],
  ['stalled', 'any'],
]

/** A kind of values: of a view, of the numbers, its text and that of none. */
const facets = [
  ['label', 'labels', 'noLabel'],
  ['tracker', 'trackers', 'noTracker'],
  ['folder', 'folders', 'noFolder'],
] as const satisfies readonly (readonly [FacetKind, keyof Facets, string])[]

interface ChoiceProps {
  readonly name: string
  readonly count: number
  readonly chosen: boolean
  readonly tone?: string
  choose(): void
}

function Choice({ name, count, chosen, tone = '', choose }: ChoiceProps) {
  return (
    <li>
      <button type="button" class={`choice ${tone}`} aria-pressed={chosen} title={name} onClick={choose}>
        <bdi>{name}</bdi>
        <span class="count">{count.toLocaleString('en')}</span>
      </button>
    </li>
  )
}

/** Sections that are closed on this device. */
const CLOSED = 'tributary.list.closed'

function isClosed(id: SectionName): boolean {
  const kept = readKept(localStorage, CLOSED)
  return Array.isArray(kept) && kept.includes(id)
}

type SectionName = 'state' | 'problems' | keyof Facets

function Section({ id, children }: { id: SectionName; children: ComponentChildren }) {
  const [closed] = useState(() => isClosed(id))
  const toggle = (open: boolean) => {
    const kept = readKept(localStorage, CLOSED)
    const others = (Array.isArray(kept) ? kept : []).filter(one => one !== id && typeof one === 'string').slice(0, 20)
    keep(localStorage, CLOSED, open ? others : [...others, id])
  }
  return (
    <details class="side-section" open={!closed} onToggle={event => toggle(event.currentTarget.open)}>
      <summary>{text(id)}</summary>
      <ul aria-label={text(id)}>{children}</ul>
    </details>
  )
}

function States({ view, setView, of }: SideBarProps & { of: readonly StateRow[] }) {
  const { groups } = session.totals.value
  const chosen = statesOf(view)
  const shown = of.filter(([group, when]) => when === 'always' || groups[group] > 0 || chosen.includes(group))
  return (
    <>
      {shown.map(([group]) => (
        <Choice
          key={group}
          name={text(group)}
          count={groups[group]}
          chosen={chosen.includes(group)}
          tone={of === problems && groups[group] > 0 ? 'trouble' : ''}
          choose={() => setView(withGroup(view, group))}
        />
      ))}
    </>
  )
}

/** Those that most have, in the order of their texts; and the one that is chosen, whether any has it or not. */
function shownOf(all: readonly FacetCount[], chosen: string | null, few: boolean): readonly FacetCount[] {
  const most = few ? all.toSorted((a, b) => b.count - a.count).slice(0, FEW) : all
  const shown = all.filter(one => most.includes(one) || one.value === chosen)
  if (chosen === null || shown.some(({ value }) => value === chosen)) return shown
  return [{ value: chosen, count: 0 }, ...shown]
}

function Values({ view, setView, facet }: SideBarProps & { facet: (typeof facets)[number] }) {
  const [kind, plural, none] = facet
  const [few, setFew] = useState(true)
  void session.downloads.version.value
  const all = session.downloads.facets[plural]
  const shown = shownOf(all, view[kind], few)
  if (shown.length === 0 || (shown.length === 1 && shown[0]?.value === '' && view[kind] === null)) return null
  return (
    <Section id={plural}>
      {shown.map(({ value, count }) => (
        <Choice
          key={value}
          name={value === '' ? text(none) : readable(value)}
          count={count}
          chosen={view[kind] === value}
          choose={() => setView(withFacet(view, kind, value))}
        />
      ))}
      {all.length > FEW && (
        <li>
          <button type="button" class="choice muted" aria-expanded={!few} onClick={() => setFew(!few)}>
            {few ? text('showAll', { count: all.length }) : text('showFewer')}
          </button>
        </li>
      )}
    </Section>
  )
}

/** What the list can be narrowed to. */
export function SideBar(props: SideBarProps) {
  return (
    <div class="side-bar" role="group" aria-label={text('filters')}>
      <Section id="state">
        <States {...props} of={states} />
      </Section>
      <Section id="problems">
        <States {...props} of={problems} />
      </Section>
      {facets.map(facet => (
        <Values key={facet[0]} {...props} facet={facet} />
      ))}
    </div>
  )
}

/** What the list is narrowed to beside its state and its search, each to be given up. */
export function NarrowedTo({ view, setView }: SideBarProps) {
  const chosen = facets.filter(([kind]) => view[kind] !== null)
  if (chosen.length === 0) return null
  return (
    <ul class="narrowed" aria-label={text('shownOnly')}>
      {chosen.map(([kind, , none]) => (
        <li key={kind}>
          <button type="button" class="chip" onClick={() => setView({ ...view, [kind]: null })}>
            <bdi>{view[kind] === '' ? text(none) : readable(view[kind] ?? '')}</bdi>
            <span class="visually-hidden">{text('showAllAgain')}</span>
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
