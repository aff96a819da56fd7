import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../program.ts'

export type DescribedSetting = { name: string; description: string; value: string }
/** `about`: what stands before the first of its settings. */
export type Section = { title: string; about: string; settings: DescribedSetting[] }

const heading = /^# --- (.+?) -+$/m
const paragraph = /((?:^#(?![A-Z_]+=).*\n)*)^#?([A-Z_]+)=(.*)$|((?:^#.*\n)+)$/gm

/** The sections of `signet.env.example`, which has the meaning and the default of each setting. */
export function readSections(): Section[] {
  const text = readFileSync(join(root, 'signet.env.example'), 'utf8')
  const [, ...parts] = text.split(heading)
  return Array.from({ length: parts.length / 2 }, (_, index) => sectionOf(parts[2 * index], parts[2 * index + 1]))
}

function sectionOf(title = '', text = ''): Section {
  const section: Section = { title, about: '', settings: [] }
  for (const [, comment = '', name, value = '', about] of text.matchAll(paragraph))
    if (name) section.settings.push({ name, description: plain(comment), value })
    else section.about = plain(about ?? '')
  return section
}

const plain = (comment: string) =>
  comment
    .replaceAll(/^# ?(\* )?/gm, '')
    .trim()
    .replaceAll('\n', ' ')
