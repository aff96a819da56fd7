import { escapeHtml, type Say } from './say.ts'

/** The application that a person came from, and leads back to; `homeUrl` is registered. Undefined: not known. */
export type Origin = { name: string; homeUrl: string | null } | undefined

/** What a person is to do where a sign-in has ended, and what leads there; `link` is empty where the application has no home page. */
export type WayOn = { text: string; link: string }

export const signInAgain = (say: Say, origin: Origin): WayOn => ({
  text: `<p>${origin ? say('sign_in_again_at', named(origin)) : say('sign_in_again_unknown')}</p>`,
  link: linkTo(origin, say('sign_in_again')),
})

export const tryAgain = (say: Say, origin: Origin): WayOn => ({
  text: `<p>${origin ? say('try_again_at', named(origin)) : say('try_again_unknown')}</p>`,
  link: backHome(say, origin),
})

export const backHome = (say: Say, origin: Origin): string =>
  origin ? linkTo(origin, say('back_to', named(origin))) : ''

const named = ({ name }: { name: string }) => ({ application: name })

const linkTo = (origin: Origin, label: string) =>
  origin?.homeUrl ? `\n<a class="button first" href="${escapeHtml(origin.homeUrl)}">${label}</a>` : ''
