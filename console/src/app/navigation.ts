import type { IconName } from '../design/icon.tsx'
import type { Scope, Session } from '../service/session.ts'
import { isOperators, may } from '../session/session.ts'

/** `key`: pressed after `g`, it leads there. */
export type Section = { name: string; path: string; icon: IconName; key: string }

const ofOrganization: Section[] = [
  { name: 'Home', path: '/', icon: 'home', key: 'h' },
  { name: 'Webhooks', path: '/webhooks', icon: 'webhooks', key: 'w' },
  { name: 'Deliveries', path: '/deliveries', icon: 'deliveries', key: 'd' },
  { name: 'Events', path: '/events', icon: 'events', key: 'e' },
  { name: 'Persons', path: '/persons', icon: 'persons', key: 'p' },
  { name: 'Groups', path: '/groups', icon: 'groups', key: 'r' },
  { name: 'Sign-in', path: '/sign-in', icon: 'sign-in', key: 'i' },
  { name: 'Keys', path: '/keys', icon: 'keys', key: 'k' },
  { name: 'Audit log', path: '/audit-log', icon: 'audit-log', key: 'a' },
  { name: 'Settings', path: '/settings', icon: 'settings', key: 's' },
]

const ofOperator: Section[] = [{ name: 'Organizations', path: '/organizations', icon: 'organizations', key: 'o' }]

/** A section whose scopes the key lacks is a link all the same: its page says what is missing. */
export const sectionsOf = (session: Session): Section[] => (isOperators(session) ? ofOperator : ofOrganization)

/** What the command palette offers besides the sections. */
type Action = { name: string; path: string; icon: IconName; scope: Scope }

const actions: Action[] = [
  { name: 'Create webhook', path: '/webhooks/new', icon: 'plus', scope: 'webhooks:write' },
  { name: 'Create person', path: '/persons/new', icon: 'plus', scope: 'persons:write' },
  { name: 'Create group', path: '/groups/new', icon: 'plus', scope: 'groups:write' },
  { name: 'Add credential', path: '/sign-in/credentials/new', icon: 'plus', scope: 'credentials:write' },
  { name: 'Create directory', path: '/sign-in/directories/new', icon: 'plus', scope: 'directories:write' },
  { name: 'Register application', path: '/sign-in/applications/new', icon: 'plus', scope: 'applications:write' },
  { name: 'Create API key', path: '/keys/new', icon: 'plus', scope: 'api-keys:write' },
]

const operatorActions = [{ name: 'Create organization', path: '/organizations/new', icon: 'plus' as const }]

export const actionsOf = (session: Session) =>
  isOperators(session) ? operatorActions : actions.filter(({ scope }) => may(session, scope))
