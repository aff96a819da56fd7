import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** What somebody does on the pages of the console: clicks, and fields that are typed or pasted into. */
export type Acts = { clicks: number; fields: number }

/**
 * Counts from now on in all tabs of the browser, and begins anew with each answer. A press of a mouse is a click; so are Enter, Space on
 * what is no text, and a choice in a list that folds, which takes two. Whatever leads into a field is part of filling it in.
 */
export async function countActs(page: Page): Promise<() => Acts> {
  let acts: Acts = { clicks: 0, fields: 0 }
  await page.context().exposeBinding('noteAct', (_, { kind, times }: { kind: keyof Acts; times: number }) => {
    acts[kind] += times
  })
  await page.context().addInitScript({ content: watchActs })
  return () => {
    const done = acts
    acts = { clicks: 0, fields: 0 }
    return done
  }
}

/** Runs in each page; those of providers and of applications are no part of the console. */
const watchActs = `if (location.pathname.startsWith('/console')) {
  const isText = (element) =>
    element.matches?.('textarea, input:not([type="checkbox"], [type="radio"], [type="file"], [type="submit"])')
  const filled = new WeakSet()
  const note = (kind, times = 1) => noteAct({ kind, times })
  addEventListener('pointerdown', ({ target }) => isText(target) || note('clicks'), true)
  addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' || (key === ' ' && !isText(target))) note('clicks')
  }, true)
  addEventListener('change', ({ target }) => target.matches('select') && note('clicks', 2), true)
  addEventListener('input', ({ target }) => {
    if (!isText(target) || filled.has(target)) return
    filled.add(target)
    note('fields')
  }, true)
}`

/** Five are the most that a task may take. */
type Clicks = 0 | 1 | 2 | 3 | 4 | 5

/** What a task took, once it is seen to be done. */
export const expectActs = (acts: () => Acts, clicks: Clicks, fields: number) =>
  expect.soft(acts(), 'clicks and fields').toEqual({ clicks, fields })

/** Clicks into a field and pastes. */
export async function paste(field: Locator, text: string) {
  await field.click()
  await field.page().keyboard.insertText(text)
}

/** A moment as a field of a date and time has it, in the zone of this machine. */
export const asTyped = (ms: number) =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
