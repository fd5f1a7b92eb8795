// The views of the page, in the order in which they stand at its top. docs/page.md says how to add one.
import type { Component } from 'svelte'
import { get } from '../lib/api.svelte'
import Activity from './Activity.svelte'
import Approvals from './Approvals.svelte'
import Overview from './Overview.svelte'
import Tools from './Tools.svelte'

export interface View {
  /** The first step of its address: #/name. */
  name: string
  /** What stands at the top of the page, and as the heading of the view. */
  title: string
  /** What shows it: with the first load, or a function that loads it when it is opened. */
  shows: { component: Component } | { load: () => Promise<{ default: Component }> }
  /** Whether it shows only what auditors may read. */
  auditors?: true
  /** Whether only a hub has it. */
  hubs?: true
  /** How many things wait there for a person. It is asked anew after events about approvals and servers. */
  waiting?: () => Promise<number>
}

export const views: View[] = [
  { name: 'overview', title: 'Overview', shows: { component: Overview }, auditors: true },
  { name: 'activity', title: 'Activity', shows: { component: Activity }, auditors: true },
  { name: 'flows', title: 'Flows', shows: { load: () => import('./Flows.svelte') }, auditors: true },
  {
    name: 'tools',
    title: 'Tools',
    shows: { component: Tools },
    waiting: async () => (await get('/status')).trust.held,
  },
  {
    name: 'approvals',
    title: 'Approvals',
    shows: { component: Approvals },
    waiting: async () => ((await get('/approvals')) ?? []).filter((r) => !r.approved).length,
  },
  {
    name: 'machines',
    title: 'Machines',
    shows: { load: () => import('./Fleet.svelte') },
    auditors: true,
    hubs: true,
  },
  { name: 'policies', title: 'Policies', shows: { load: () => import('./Policies.svelte') } },
]
