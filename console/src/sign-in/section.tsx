import type { ReactNode } from 'react'
import { Page } from '../design/page.tsx'
import { Tabs } from '../design/tabs.tsx'

const tabs = [
  { to: '/sign-in', name: 'Credentials' },
  { to: '/sign-in/applications', name: 'Applications' },
  { to: '/sign-in/resources', name: 'Resources' },
  { to: '/sign-in/directories', name: 'Directories' },
  { to: '/sign-in/links', name: 'Links' },
  { to: '/sign-in/sign-ins', name: 'Sign-ins' },
]

type SectionProps = { lead: string; actions?: ReactNode; children: ReactNode }

/** What the lists of the section have around them. */
export const Section = ({ lead, actions, children }: SectionProps) => (
  <Page title="Sign-in" lead={lead} actions={actions}>
    <Tabs label="Sign-in" tabs={tabs} />
    {children}
  </Page>
)
