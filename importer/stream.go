package importer

import "gobench/record"

// streamed adds the bandwidth and the message rate of a stream of messages to a point. It returns
// false if the log has neither. For small messages the bandwidth is often printed with fewer digits
// than size x message rate, which is then used.
func (l *log) streamed(p *record.Point, bandwidth, messages number) bool {
	if messages.x > 0 {
		p.Metrics.Set("message_rate_per_s", mean(messages.x))
	}
	if computed := messages.times(float64(p.Size)); computed.x > 0 && computed.agrees(bandwidth) && computed.relative() < bandwidth.relative() {
		bandwidth = computed
		p.Method += "; the bandwidth is computed from the message rate, which is printed with more digits"
	}
	if bandwidth.x > 0 {
		p.Metrics.Set("bandwidth_Bps", mean(bandwidth.x))
	}
	return p.Metrics.Len() > 0
}
