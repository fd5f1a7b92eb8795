package personal

import "mcpproxy"

// healthKinds are numbers of patients and insured people that only words identify. Kinds of single countries are in
// the files of the countries.
var healthKinds = []dataKind{
	{
		id:       "medical_record_number",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		topics:   aboutRecord,
		named:    0.88,
	},
	{
		id:       "health_insurance_id",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		topics:   aboutMember,
		named:    0.8,
	},
}
