import { Tabs } from '../design/tabs.tsx'

export const OrganizationsTabs = () => (
  <Tabs
    label="Installation"
    tabs={[
      { to: '/organizations', name: 'All organizations' },
      { to: '/organizations/processes', name: 'Processes' },
      { to: '/organizations/regions', name: 'Regions' },
    ]}
  />
)
