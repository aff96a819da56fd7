import type { Locator, Page } from 'playwright-core'
import { pngOf } from '../../../server/tests/support/pictures.ts'

const ofControls = 'main button, main [role="switch"]'
export const controls = (page: Page) => page.locator(ofControls)

/**
 * Runs in the page: what can be pressed, null for what cannot; that of a form may need to be filled in first. `kind`: the same in
 * each row of one list, and in the head of each page of one thing.
 */
export const readControls = `[...document.querySelectorAll(${JSON.stringify(ofControls)})].map((each) => {
  const name = (each.ariaLabel ?? each.textContent).trim()
  const isOpen = each.type === 'submit' || !(each.disabled || 'disabled' in each.dataset)
  const isOfForm = each.closest('form') && each.type !== 'submit'
  const list = each.closest('table')?.caption?.textContent ?? ''
  const kind = each.closest('tr, li') ? name.split(' ')[0] + ' ' + list : each.closest('header') ? 'head ' + name : undefined
  return each.checkVisibility() && isOpen && !isOfForm ? { name, kind } : null
})`

export const tenFrames = `new Promise((resolve) => {
  let left = 10
  const step = () => (left-- ? requestAnimationFrame(step) : resolve())
  step()
})`

/** Runs in the page, where an element has them. */
export const labelsOf = (all: { ariaLabel?: string | null; textContent?: string | null }[]) =>
  all.map(({ ariaLabel, textContent }) => (ariaLabel ?? textContent ?? '').trim())

type Labelled = { labels?: ArrayLike<{ textContent?: string | null }> | null; type?: string }

/** Runs in the page. */
const kindsOf = (all: Labelled[]) =>
  all.map(({ labels, type = '' }) => ({ label: labels?.[0]?.textContent ?? '', type }))

/** Runs in the page. */
export const markAsTried = (all: { setAttribute(name: string, value: string): void }[]) =>
  all[0]?.setAttribute('data-tried', '')

export const notAnAction = /^(Cancel|Close|Back.*|Copy.*|Show.*|Hide.*|Choose.*|Chosen|Add header|Add handle)$/

/** With the first row that can be chosen a list has a button for what is chosen. */
export async function chooseRow(page: Page) {
  const choice = page.locator('main tbody input[type="checkbox"]:enabled')
  if ((await choice.count()) > 0) await choice.first().check()
}

/** Something in every field: most forms have nothing to save before. */
export async function fill(within: Locator) {
  const text = [
    'input:not([type])',
    ...['text', 'url', 'password', 'number', 'datetime-local'].map((type) => `input[type="${type}"]`),
    'textarea',
  ]
  for (const field of await within.locator(text.join()).all()) {
    if (!(await field.isVisible()) || !(await field.isEditable())) continue
    const [{ label, type } = { label: '', type: '' }] = await field.evaluateAll(kindsOf)
    await field.fill(valueFor(label, type))
    // It is in the list then, and was not before.
    if (label === 'Name of a group') await field.press('Enter')
  }
  for (const field of await within.locator('input[type="file"]').all())
    await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pngOf(1, 1) })
  const found = within.getByRole('button', { name: /^Choose / })
  if ((await within.getByLabel('Find a person').count()) > 0) await found.first().click()
}

function valueFor(label: string, type: string): string {
  const [, typed] = /^Type (.*) to confirm$/.exec(label) ?? []
  if (typed) return typed
  if (label === 'Find a person') return 'grace@'
  if (type === 'datetime-local') return label === 'From' ? '2026-01-01T00:00' : '2036-01-01T00:00'
  if (type === 'url' || /URL|URI/.test(label)) return 'https://changed.example/callback'
  return type === 'number' ? '1' : 'changed.example'
}
