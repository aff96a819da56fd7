import { Tabs } from '../design/tabs.tsx'

const tabs = [
  { to: '/settings', name: 'General' },
  { to: '/settings/administrators', name: 'Administrators' },
  { to: '/settings/sessions', name: 'Sessions' },
]

export const SettingsTabs = () => <Tabs label="Settings" tabs={tabs} />
